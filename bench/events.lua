-- For wrk: every request stores one event with an id of its own.
--     wrk -t1 -c64 -d10s -s bench/events.lua http://127.0.0.1:8080/api/v1/events
local run, n = tostring(os.time()), 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

request = function()
    n = n + 1
    return wrk.format(nil, nil, nil, string.format(
        '{"events":[{"id":"%s-%d","user":"u%d","item":"i%d","liked":true}]}',
        run, n, n % 1000, n % 1682))
end

done = function(summary, latency)
    print(string.format("%.0f events/s committed, p50 %.2f ms, p99 %.2f ms, %d errors",
                        summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000,
                        latency:percentile(99) / 1000, summary.errors.status))
end
