"""Draft or approved capability → ending: model-free, it does the right thing or stops and says why."""
