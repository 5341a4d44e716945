"""What runs beside and inside a job."""
