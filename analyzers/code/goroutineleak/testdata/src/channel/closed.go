package channel

import "sync"

// Filled has all jobs, and is closed, before the first worker looks.
func Filled(items []int, work func(int)) {
	jobs := make(chan int, len(items))
	for _, it := range items {
		jobs <- it
	}
	close(jobs)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				work(j)
			}
		}()
	}
	wg.Wait()
}

// Sometimes closes on one way only before the workers start.
func Sometimes(items []int, last bool, work func(int)) {
	jobs := make(chan int, len(items))
	for _, it := range items {
		jobs <- it
	}
	if last {
		close(jobs)
	}
	go func() {
		for j := range jobs { // want `this receive can wait for ever`
			work(j)
		}
	}()
}
