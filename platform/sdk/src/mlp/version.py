"""The client's version. The api serves the wheel of the same version at `/client/`."""

__version__ = "0.1.0"
