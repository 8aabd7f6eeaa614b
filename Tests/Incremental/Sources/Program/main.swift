import Outer

var all = [Holder(), Holder(), Holder()]
all[1].last = "a text that is too long to lie within the structure"
for each in all { print(MemoryLayout<Holder>.size, each.first, each.last) }
print(greeting())
