// Evaluates queries on what was scraped, with Prometheus's own engine.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math"
	"os"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

// Input is what standard input holds, as JSON.
type Input struct {
	// Scrapes are in the order of their times.
	Scrapes []Scrape `json:"scrapes"`
	Queries []string `json:"queries"`
}

// Scrape is the text that one target has given, at milliseconds since the epoch.
type Scrape struct {
	At   int64  `json:"at"`
	Text string `json:"text"`
}

// Result is what came of a query at the time of the last scrape.
type Result struct {
	// Series that the query gives, with a number.
	Series int `json:"series"`
	// Compared is the number of series that it compares with a bound: an alert that does not fire has no other.
	Compared int    `json:"compared"`
	Error    string `json:"error,omitempty"`
}

func main() {
	var input Input
	must(json.NewDecoder(os.Stdin).Decode(&input))
	folder, err := os.MkdirTemp("", "promql-")
	must(err)
	defer os.RemoveAll(folder)
	database, err := tsdb.Open(folder, nil, nil, tsdb.DefaultOptions(), nil)
	must(err)
	defer database.Close()
	for _, scrape := range input.Scrapes {
		must(store(database, scrape))
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 10_000_000, Timeout: time.Minute})
	last := input.Scrapes[len(input.Scrapes)-1].At
	results := make([]Result, 0, len(input.Queries))
	for _, query := range input.Queries {
		results = append(results, evaluate(engine, database, query, time.UnixMilli(last)))
	}
	must(json.NewEncoder(os.Stdout).Encode(results))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func store(database *tsdb.DB, scrape Scrape) error {
	text, err := textparse.New([]byte(scrape.Text), "text/plain", labels.NewSymbolTable(), textparse.ParserOptions{FallbackContentType: "text/plain"})
	if err != nil {
		return err
	}
	appender := database.Appender(context.Background())
	for {
		entry, err := text.Next()
		if errors.Is(err, io.EOF) {
			return appender.Commit()
		}
		if err != nil {
			return err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, value := text.Series()
		var series labels.Labels
		text.Labels(&series)
		if _, err := appender.Append(0, series, scrape.At, value); err != nil {
			return err
		}
	}
}

func evaluate(engine *promql.Engine, from storage.Queryable, query string, at time.Time) Result {
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		return Result{Error: err.Error()}
	}
	series, err := count(engine, from, query, at)
	if err != nil {
		return Result{Error: err.Error()}
	}
	compared, err := count(engine, from, comparedIn(expression).String(), at)
	if err != nil {
		return Result{Error: err.Error()}
	}
	return Result{Series: series, Compared: compared}
}

// comparedIn returns the left side of the comparison that a query is, or the query itself.
func comparedIn(expression parser.Expr) parser.Expr {
	switch node := expression.(type) {
	case *parser.ParenExpr:
		return comparedIn(node.Expr)
	case *parser.BinaryExpr:
		if node.Op.IsComparisonOperator() || node.Op.IsSetOperator() {
			return comparedIn(node.LHS)
		}
	}
	return expression
}

func count(engine *promql.Engine, from storage.Queryable, query string, at time.Time) (int, error) {
	opened, err := engine.NewInstantQuery(context.Background(), from, nil, query, at)
	if err != nil {
		return 0, err
	}
	defer opened.Close()
	result := opened.Exec(context.Background())
	if result.Err != nil {
		return 0, result.Err
	}
	vector, err := result.Vector()
	if err != nil {
		return 1, nil // A number has no series, and is always there.
	}
	finite := 0
	for _, sample := range vector {
		if sample.H != nil || !math.IsNaN(sample.F) {
			finite++
		}
	}
	return finite, nil
}
