"""The only door to Playwright and Chromium."""
