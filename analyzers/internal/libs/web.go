package libs

import (
	"go/types"
	"strings"
)

var webRows = []Row{}

// handlerParams are the types that a function gets which a server calls.
var handlerParams = map[string]string{
	"net/http.ResponseWriter": "HTTP", "github.com/gin-gonic/gin.Context": "gin", "github.com/labstack/echo/v4.Context": "echo", "github.com/labstack/echo/v5.Context": "echo",
	"github.com/gofiber/fiber/v2.Ctx": "fiber", "github.com/gofiber/fiber/v3.Ctx": "fiber", "github.com/valyala/fasthttp.RequestCtx": "fasthttp",
	"google.golang.org/grpc.UnaryServerInfo": "gRPC", "google.golang.org/grpc.StreamServerInfo": "gRPC", "google.golang.org/grpc.ServerStream": "gRPC",
	"connectrpc.com/connect.Request": "connect", "github.com/hibiken/asynq.Task": "job",
	"github.com/riverqueue/river.Job":            "job",
	"github.com/julienschmidt/httprouter.Params": "HTTP", "github.com/gobuffalo/buffalo.Context": "HTTP", "github.com/kataras/iris/v12.Context": "HTTP",
	"github.com/cloudwego/hertz/pkg/app.RequestContext": "hertz", "github.com/emicklei/go-restful/v3.Request": "HTTP",
	"github.com/bwmarrin/discordgo.MessageCreate": "Discord", "github.com/bwmarrin/discordgo.InteractionCreate": "Discord",
	"crypto/tls.ClientHelloInfo": "TLS", "golang.org/x/crypto/ssh.ConnMetadata": "SSH", "github.com/miekg/dns.ResponseWriter": "DNS",
	"github.com/IBM/sarama.ConsumerGroupClaim": "Kafka", "github.com/mark3labs/mcp-go/mcp.CallToolRequest": "MCP",
}

// called are methods that a library calls for many requests at once, because a type
// implements one of its interfaces: the name of the method, its parameters and its
// results, and the sort of server.
var called = []struct{ name, params, results, kind string }{
	{"Render", "io.Writer, string, any, github.com/labstack/echo/v4.Context", "error", "echo"},
	{"Render", "io.Writer, string, any, github.com/labstack/echo/v5.Context", "error", "echo"},
	{"Render", "io.Writer, string, any, []string", "error", "fiber"},
	{"Bind", "any, github.com/labstack/echo/v4.Context", "error", "echo"},
	{"Instance", "string, any", "github.com/gin-gonic/gin/render.Render", "gin"},
	{"RoundTrip", "*net/http.Request", "*net/http.Response, error", "HTTP"},
	{"Token", "", "*golang.org/x/oauth2.Token, error", "OAuth"},
	{"Collect", "chan<- github.com/prometheus/client_golang/prometheus.Metric", "", "Prometheus"},
	{"Handle", "context.Context, log/slog.Record", "error", "slog"},
	{"HandleRPC", "context.Context, google.golang.org/grpc/stats.RPCStats", "", "gRPC"},
}

// Callback tells for what sort of server a method is called, when its name, its
// parameters and its results are those of an interface that a library calls for many
// requests at once; "" when they are not.
func Callback(name string, sig *types.Signature) string {
	if sig.Recv() == nil {
		return ""
	}
	for _, c := range called {
		if c.name == name && list(sig.Params()) == c.params && list(sig.Results()) == c.results {
			return c.kind
		}
	}
	return ""
}

// list writes types with the paths of their packages.
func list(t *types.Tuple) string {
	var all []string
	for v := range t.Variables() {
		name := types.TypeString(v.Type(), nil)
		if name == "interface{}" {
			name = "any"
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// Handler tells what sort of server calls functions of this signature, "" when
// nothing says that a server does.
func Handler(sig *types.Signature) string {
	for v := range sig.Params().Variables() {
		kind := handlerParams[Path(v.Type())+"."+TypeName(v.Type())]
		if most := handlerLength[kind]; kind != "" && (most == 0 || sig.Params().Len() <= most) {
			return kind
		}
	}
	return ""
}

// HandlerNamed is Handler for parameters of which only the types' texts are at hand.
func HandlerNamed(params []string) string {
	for _, p := range params {
		kind := handlerParams[strings.TrimPrefix(p, "*")]
		if most := handlerLength[kind]; kind != "" && (most == 0 || len(params) <= most) {
			return kind
		}
	}
	return ""
}

// handlerLength is the number of parameters that handlers of a kind have. What
// has more is a helper, often of a value that belongs to one request.
var handlerLength = map[string]int{"HTTP": 3, "gin": 1, "echo": 1, "fiber": 1, "fasthttp": 1, "hertz": 2}

// Request tells whether a value of this type belongs to one request.
func Request(t types.Type) bool {
	name := Path(t) + "." + TypeName(t)
	return name == "net/http.Request" || handlerParams[name] != ""
}
