package libs

var fileRows = []Row{}
