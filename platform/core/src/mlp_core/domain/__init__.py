"""The domain: pure rules. No clock, no random, no environment, no database."""
