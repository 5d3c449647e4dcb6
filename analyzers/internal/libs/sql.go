package libs

var sqlRows = []Row{}
