package postgres

import "os"

// memory is where Linux mounts a file system in memory, and memoryRoom what
// must be free there: containers often have 64 MB.
const (
	memory     = "/dev/shm"
	memoryRoom = 1 << 30
)

// MemoryDir returns a directory in memory with room for a small server, or ""
// where there is none. As Options.Dir it makes a start three to ten times
// quicker on a slow disk, since creating a cluster is creating a thousand
// files. It is for tests and short labs: the data and the log of the server
// take memory.
func MemoryDir() string {
	if free(memory) < memoryRoom {
		return ""
	}
	return memory
}

// Dirs are the directories in which servers work by default: what Clean is for.
// The one in memory is among them also when it is too full for a new server,
// since a dead one may be what fills it.
func Dirs() []string {
	dirs := []string{os.TempDir()}
	if info, err := os.Stat(memory); err == nil && info.IsDir() && dirs[0] != memory {
		dirs = append(dirs, memory)
	}
	return dirs
}
