package web

import (
	"cross/store"

	"github.com/gin-gonic/gin"
)

func put(c *gin.Context) {
	store.Put(c.Param("k"))
}

func Routes(e *gin.Engine) { e.GET("/put", put) }
