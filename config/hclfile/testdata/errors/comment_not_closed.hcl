locals {
  a = 1
}
/* open # ERROR: Comment not closed: The comment that begins here has no end. Write 
