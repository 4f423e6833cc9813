{"agent": {}} # ERROR: JSON in a file of HCL: This is JSON. Rename the file to dsh.hcl.json, or write it in HCL.
