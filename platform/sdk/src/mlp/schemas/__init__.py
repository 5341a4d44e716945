"""Wire types: what travels between clients, the api and in-job agents. One file per resource."""
