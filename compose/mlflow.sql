-- Beside the platform's own database, which the image makes itself.
CREATE DATABASE mlflow;
