module holdfast/promql

go 1.25.0

require github.com/prometheus/prometheus v0.315.1
