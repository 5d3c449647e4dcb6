package libs

// Operations on files. Key is the path; of a rename it is the destination and
// Val the source; of an open Val are the flags. Note is the name of the call.
const (
	FileCheck  Op = "file.check"  // asks about a path
	FileRead   Op = "file.read"   // opens or reads what is there
	FileCreate Op = "file.create" // creates, or truncates what is there
	FileOpen   Op = "file.open"   // does what its flags say
	FileMkdir  Op = "file.mkdir"  // fails when there is something
	FileRemove Op = "file.remove"
	FileRename Op = "file.rename"
	FileChange Op = "file.change" // mode, owner, size or time of what is there
	FileLock   Op = "file.lock"   // waits for other processes
	FileTemp   Op = "file.temp"   // makes something whose name nobody else knows
	FileList   Op = "file.list"   // asks what is in a directory
	FileDirs   Op = "file.dirs"   // makes a directory, or is content with the one that is there
	FileEntry  Op = "file.entry"  // asks what a walk found at the path that it names beside it
)

func file(path, name string, op Op, key int) Row {
	r := New(path, "", name, op)
	r.Key, r.Note = key, name
	return r
}

func fileVal(path, name string, op Op, key, val int) Row {
	r := file(path, name, op, key)
	r.Val = val
	return r
}

// fileOf is a method on a root, a file system or a request.
func fileOf(path, typ, name string, op Op, key int) Row {
	r := keyed(path, typ, name, op, key, None)
	r.Note = name
	return r
}

var fileRows = []Row{
	file("os", "Stat", FileCheck, 0), file("os", "Lstat", FileCheck, 0), file("path/filepath", "EvalSymlinks", FileCheck, 0), file("os", "Readlink", FileCheck, 0),
	on("io/fs", "DirEntry", "Type", FileEntry), on("io/fs", "FileInfo", "Mode", FileEntry),
	file("os", "Open", FileRead, 0), file("os", "ReadFile", FileRead, 0), file("io/ioutil", "ReadFile", FileRead, 0),
	file("os", "Create", FileCreate, 0), fileVal("os", "WriteFile", FileCreate, 0, 1), fileVal("io/ioutil", "WriteFile", FileCreate, 0, 1),
	fileVal("os", "OpenFile", FileOpen, 0, 1),
	file("os", "Mkdir", FileMkdir, 0), fileVal("os", "Symlink", FileMkdir, 1, 0), fileVal("os", "Link", FileMkdir, 1, 0),
	file("net/http", "ServeFile", FileRead, 2), file("crypto/tls", "LoadX509KeyPair", FileRead, 0), file("os/exec", "Command", FileRead, 0), file("os/exec", "CommandContext", FileRead, 1),
	fileOf("github.com/gin-gonic/gin", "Context", "File", FileRead, 0),
	fileOf("github.com/labstack/echo/v4", "Context", "File", FileRead, 0), fileOf("github.com/labstack/echo/v4", "Context", "Attachment", FileRead, 0), fileOf("github.com/labstack/echo/v4", "Context", "Inline", FileRead, 0),
	fileOf("github.com/gofiber/fiber/v2", "Ctx", "SendFile", FileRead, 0),
	file("os", "ReadDir", FileList, 0), file("io/ioutil", "ReadDir", FileList, 0), file("path/filepath", "Glob", FileList, 0), file("os", "MkdirAll", FileDirs, 0),
	file("os", "Remove", FileRemove, 0), file("os", "RemoveAll", FileRemove, 0),
	fileVal("os", "Rename", FileRename, 1, 0),
	file("os", "Chmod", FileChange, 0), file("os", "Chown", FileChange, 0), file("os", "Truncate", FileChange, 0), file("os", "Chtimes", FileChange, 0),
	file("os", "MkdirTemp", FileTemp, 0), file("os", "CreateTemp", FileTemp, 0), file("io/ioutil", "TempDir", FileTemp, 0), file("io/ioutil", "TempFile", FileTemp, 0),
	on("testing", "common", "TempDir", FileTemp), on("testing", "TB", "TempDir", FileTemp),
	file("syscall", "Flock", FileLock, None), file("golang.org/x/sys/unix", "Flock", FileLock, None), file("golang.org/x/sys/unix", "FcntlFlock", FileLock, None),
	file("syscall", "FcntlFlock", FileLock, None), file("golang.org/x/sys/windows", "LockFileEx", FileLock, None),
	on("github.com/gofrs/flock", "Flock", "Lock", FileLock), on("github.com/gofrs/flock", "Flock", "TryLock", FileLock), on("github.com/gofrs/flock", "Flock", "TryLockContext", FileLock),
	on("github.com/rogpeppe/go-internal/lockedfile", "Mutex", "Lock", FileLock), file("github.com/rogpeppe/go-internal/lockedfile", "Edit", FileLock, 0),
	file("syscall", "Access", FileCheck, 0), file("golang.org/x/sys/unix", "Access", FileCheck, 0),
	fileOf("os", "Root", "Stat", FileCheck, 0), fileOf("os", "Root", "Lstat", FileCheck, 0), fileOf("os", "Root", "Create", FileCreate, 0), fileOf("os", "Root", "WriteFile", FileCreate, 0),
	fileOf("os", "Root", "Mkdir", FileMkdir, 0), fileOf("os", "Root", "Remove", FileRemove, 0), fileOf("os", "Root", "Rename", FileRename, 1),
	fileOf("github.com/spf13/afero", "Fs", "Stat", FileCheck, 0), fileOf("github.com/spf13/afero", "Fs", "Create", FileCreate, 0), fileOf("github.com/spf13/afero", "Fs", "Mkdir", FileMkdir, 0),
	fileOf("github.com/spf13/afero", "Fs", "Remove", FileRemove, 0), fileOf("github.com/spf13/afero", "Fs", "RemoveAll", FileRemove, 0), fileOf("github.com/spf13/afero", "Fs", "Rename", FileRename, 1),
	fileOf("github.com/spf13/afero", "Fs", "MkdirAll", FileDirs, 0), file("github.com/spf13/afero", "Exists", FileCheck, 1), file("github.com/spf13/afero", "DirExists", FileCheck, 1),
	file("github.com/spf13/afero", "WriteFile", FileCreate, 1), file("github.com/spf13/afero", "ReadFile", FileRead, 1),
	fileOf("github.com/gin-gonic/gin", "Context", "SaveUploadedFile", FileCreate, 1), fileOf("github.com/gofiber/fiber/v2", "Ctx", "SaveFile", FileCreate, 1), fileOf("github.com/gofiber/fiber/v3", "Ctx", "SaveFile", FileCreate, 1),
	on("github.com/alexflint/go-filemutex", "FileMutex", "Lock", FileLock), on("github.com/juju/fslock", "Lock", "Lock", FileLock),
}
