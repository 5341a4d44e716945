"""Files that attempts leave: taken in from agents in parts, listed and read by people."""
