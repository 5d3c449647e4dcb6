package postgres

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
