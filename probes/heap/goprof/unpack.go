package goprof

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// unpacked is a profile without its gzip layer.
func unpacked(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("the file is empty: %w", ErrForeign)
	}
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeign, err)
	}
	// Ten times is the most that a profile was seen to shrink; a gzip bomb does a
	// thousand times, and is stopped well before it fills the memory.
	limit := int64(min(len(data)*200+1<<20, MaxSize))
	raw, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil {
		return nil, fmt.Errorf("the profile is cut off or damaged: %w", err)
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("it unpacks to more than %d MB: %w", limit>>20, ErrForeign)
	}
	return raw, nil
}
