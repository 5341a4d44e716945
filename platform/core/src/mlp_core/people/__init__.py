"""People: users, their tokens, sign-in."""
