# The scripted model: replies are used in order, the default answers after them.
reply {
  text = "main.go looks right to me. One remark: the error on line 12 is dropped; return it."
}

default {
  text = "Nothing else stands out."
}
