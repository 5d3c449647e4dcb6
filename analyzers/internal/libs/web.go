package libs

var webRows = []Row{}
