package channel

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Record asks a child for statistics at each SIGUSR1, as long as it runs.
func Record(child *os.Process, ask func(*os.Process)) error {
	usr := make(chan os.Signal, 4)
	signal.Notify(usr, syscall.SIGUSR1)
	defer signal.Stop(usr)
	go record(usr, child, ask)
	_, err := child.Wait()
	return err
}

func record(usr <-chan os.Signal, child *os.Process, ask func(*os.Process)) {
	for {
		<-usr // want `this goroutine never ends: it takes signals from a channel that is not closed`
		ask(child)
	}
}

// Pause stops its signals and lets nobody wait for them.
func Pause(pause func(), work func() error) error {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTSTP)
	go func() {
		for range stop { // want `this goroutine never ends`
			pause()
		}
	}()
	err := work()
	signal.Stop(stop)
	return err
}

// Relayed tells the goroutine as well.
func Relayed(script string) error {
	cmd := exec.Command("sh", "-c", script)
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs)
	defer func() {
		signal.Stop(sigs)
		close(sigs)
	}()
	go func() {
		for s := range sigs {
			_ = cmd.Process.Signal(s)
		}
	}()
	return cmd.Run()
}

// Chosen has another way out of its loop.
func Chosen(script string) error {
	cmd := exec.Command("sh", "-c", script)
	sigs, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(sigs)
	defer signal.Stop(sigs)
	defer close(done)
	go func() {
		for {
			select {
			case s := <-sigs:
				_ = cmd.Process.Signal(s)
			case <-done:
				return
			}
		}
	}()
	return cmd.Run()
}

// Reload is set up once, and for as long as the process lives.
func Reload(reload func()) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		for range hup {
			reload()
		}
	}()
}

// Interrupted gives the channel to its caller, who can close it.
func Interrupted(script string, handle func(os.Signal)) (chan os.Signal, error) {
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs)
	go func() {
		for s := range sigs {
			handle(s)
		}
	}()
	return sigs, exec.Command("sh", "-c", script).Run()
}
