package libs

import "go/types"

var webRows = []Row{}

// handlerParams are the types that only a function called by a server gets: one
// of them among the parameters makes the function a handler.
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
		if kind := handlerParams[Path(v.Type())+"."+TypeName(v.Type())]; kind != "" {
			return kind
		}
	}
	return ""
}

// Request tells whether a value of this type belongs to one request.
func Request(t types.Type) bool {
	name := Path(t) + "." + TypeName(t)
	return name == "net/http.Request" || handlerParams[name] != ""
}
