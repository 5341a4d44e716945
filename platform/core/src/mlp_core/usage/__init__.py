"""What is held and used of the machines, and how the platform itself gets on."""
