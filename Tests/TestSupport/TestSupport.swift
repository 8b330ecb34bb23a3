// What the tests share.
