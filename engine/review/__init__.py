"""Life of a version: who approved what, what changed between two versions, and which number the next one gets."""
