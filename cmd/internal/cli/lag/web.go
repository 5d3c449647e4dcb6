package lag

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/ccheck/ccheck/cmd/internal/exit"
	"github.com/ccheck/ccheck/cmd/internal/flags"
	"github.com/ccheck/ccheck/probes/history"
	"github.com/ccheck/ccheck/probes/lag"
)

// web checks the flags of a run over an application.
func (o *Options) web() error {
	switch {
	case o.Write == "" && o.Read == "":
		if o.Body != "" || len(o.Headers) > 0 || o.Find != "" {
			return exit.Usagef("--body, --header and --find are for --write and --read").WithHint("give the two requests, or leave these out")
		}
		return nil
	case o.Write == "" || o.Read == "":
		return exit.Usagef("--write and --read go together").WithHint("the value is written through one URL and read through the other")
	case len(o.Replicas) > 0 || o.Primary != "" || o.Lab || o.Place.Target.DSN != "":
		return exit.Usagef("--write and --read observe an application, and another flag names servers").WithHint("leave one of them out")
	case o.own != "":
		return exit.Usagef("%s is for throw-away replicas, and --write and --read observe an application", o.own).WithHint("leave it out")
	case o.Reads != string(lag.Replica):
		return exit.Usagef("--reads %s: how an application reads is its own affair", o.Reads).WithHint("leave it out")
	}
	for _, r := range []string{o.Write, o.Read} {
		if _, err := request(r, "GET"); err != nil {
			return err
		}
	}
	if given := o.Write + o.Body; !strings.Contains(given, "{{value}}") && !strings.Contains(given, "{{n}}") {
		return exit.Usagef("neither --write nor --body has {{value}} in it: every write would be the same").WithHint("put {{value}} where the value goes, or {{n}} for a number and --find for where it is read")
	}
	_, err := o.find()
	if err == nil {
		_, err = flags.Headers(o.Headers)
	}
	return err
}

// request reads METHOD URL, or a URL.
func request(text, method string) (lag.Request, error) {
	verb, address, err := flags.Request(text, method, "POST http://localhost:8080/name?value={{value}}", "{{value}}", "{{n}}")
	return lag.Request{Method: verb, URL: address}, err
}

func (o *Options) find() (*regexp.Regexp, error) {
	if o.Find == "" {
		return nil, nil
	}
	re, err := regexp.Compile(o.Find)
	if err != nil || re.NumSubexp() != 1 {
		return nil, exit.Usagef("--find %s is no regular expression with one group", flags.Shown(o.Find)).WithHint(`such as '"version":(\d+)'`)
	}
	return re, nil
}

// application is the subject of a run over an application. The flags were
// checked.
func (o *Options) application() subject {
	write, _ := request(o.Write, "POST")
	read, _ := request(o.Read, "GET")
	find, _ := o.find()
	headers, _ := flags.Headers(o.Headers)
	write.Body = o.Body
	h := o.header(newRun())
	h.Scenario, h.Target = "an application", history.Target{Kind: "http", Address: hostOf(read.URL)}
	return subject{header: h, drive: func(ctx context.Context, path string, progress func(lag.Counts)) error {
		err := lag.DriveWeb(ctx, lag.WebOptions{
			Application: lag.Application{Write: write, Read: read, Headers: headers, Mark: "ccheck-" + h.Run + "-", Find: find, Limit: limit},
			Header:      h, Path: path, Every: o.Every, Duration: o.Duration, Patience: o.Patience, Progress: progress,
		})
		return toldWeb(err)
	}}
}

// toldWeb translates the answers of an application that cannot be worked with.
func toldWeb(err error) error {
	var answer *lag.AnswerError
	var nothing *lag.NotFoundError
	switch {
	case errors.As(err, &answer):
		return (&exit.Error{Code: exit.Failed, Msg: answer.Error(), Err: err}).WithHint("does it need a header, such as --header 'Authorization: …', or a body with --body?")
	case errors.As(err, &nothing):
		return (&exit.Error{Code: exit.Failed, Msg: nothing.Error(), Err: err}).WithHint("is it the right URL? With {{n}}, --find says where the number is in the answer")
	}
	return err
}

func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
