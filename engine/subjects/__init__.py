"""What the core explores: each subject is one small adapter."""
