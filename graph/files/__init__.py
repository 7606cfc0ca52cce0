"""Files in S3: what is told of one, its bytes in parts, and links that let others read it."""
