"""The admin in the browser: server-rendered pages, small ES modules, one module a page."""
