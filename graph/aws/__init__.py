"""AWS beside DynamoDB: its clients, and the one way to call them."""
