UNION ALL
SELECT '', '', cluster, toString(uniqExact(shard_num)), toString(count())
FROM system.clusters
GROUP BY cluster
