package libs

var kvRows = []Row{}
