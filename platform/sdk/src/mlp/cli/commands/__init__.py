"""The commands, one file per noun or verb."""
