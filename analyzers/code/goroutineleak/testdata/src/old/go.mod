module old

go 1.22
