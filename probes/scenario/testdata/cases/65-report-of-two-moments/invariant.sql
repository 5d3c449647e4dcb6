SELECT cents FROM report WHERE cents <> 200
