module mlp/compose

go 1.25

// Only its schema/compose-spec.json is read: the specification as the reference implementation has it.
require github.com/compose-spec/compose-go/v2 v2.16.2
