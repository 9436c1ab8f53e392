"""`python -m engine.cli`: the same as the `discover` command."""

from engine.cli.edge import main

if __name__ == "__main__":
    main()
