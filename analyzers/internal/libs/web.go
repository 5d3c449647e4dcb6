package libs

import "go/types"

var webRows = []Row{}

// handlerParams are the types that a function gets which a server calls.
var handlerParams = map[string]string{
	"net/http.ResponseWriter": "HTTP", "github.com/gin-gonic/gin.Context": "gin", "github.com/labstack/echo/v4.Context": "echo", "github.com/labstack/echo/v5.Context": "echo",
	"github.com/gofiber/fiber/v2.Ctx": "fiber", "github.com/gofiber/fiber/v3.Ctx": "fiber", "github.com/valyala/fasthttp.RequestCtx": "fasthttp",
	"google.golang.org/grpc.UnaryServerInfo": "gRPC", "google.golang.org/grpc.StreamServerInfo": "gRPC", "google.golang.org/grpc.ServerStream": "gRPC",
	"connectrpc.com/connect.Request": "connect", "github.com/hibiken/asynq.Task": "job",
	"github.com/riverqueue/river.Job":            "job",
	"github.com/julienschmidt/httprouter.Params": "HTTP", "github.com/gobuffalo/buffalo.Context": "HTTP", "github.com/kataras/iris/v12.Context": "HTTP",
	"github.com/cloudwego/hertz/pkg/app.RequestContext": "hertz",
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

// handlerLength is the number of parameters that handlers of a kind have. What
// has more is a helper, often of a value that belongs to one request.
var handlerLength = map[string]int{"HTTP": 3, "gin": 1, "echo": 1, "fiber": 1, "fasthttp": 1, "hertz": 2}

// Request tells whether a value of this type belongs to one request.
func Request(t types.Type) bool {
	name := Path(t) + "." + TypeName(t)
	return name == "net/http.Request" || handlerParams[name] != ""
}
