"""The only door to models: one protocol, one adapter a file, structured output found out once, and what it cost."""
