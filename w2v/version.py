"""The program's version, as it goes into every file written."""

__version__ = "0.1.0"
