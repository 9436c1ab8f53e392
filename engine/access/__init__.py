"""Who is asking, what they may do, and leave for single risky steps."""
