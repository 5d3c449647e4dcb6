package old

import "time"

func Sleep() {
	t := time.NewTicker(time.Second) // want `never stopped`
	<-t.C
}

func Stopped() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	<-t.C
}

func Handed() *time.Ticker { return time.NewTicker(time.Second) }
