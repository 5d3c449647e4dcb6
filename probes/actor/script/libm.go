package script

import "math"

func exp(x float64) float64    { return math.Exp(x) }
func log(x float64) float64    { return math.Log(x) }
func sin(x float64) float64    { return math.Sin(x) }
func pow(x, y float64) float64 { return math.Pow(x, y) }
