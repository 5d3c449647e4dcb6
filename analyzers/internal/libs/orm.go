package libs

var ormRows = []Row{}
