"""An embedded DynamoDB with sample data, to try the graph without an AWS account."""
