"""Every call of the API, once. One file per resource, named as in the URL; nothing here does I/O."""
