"""Compiled from functions/mongodb.toml by dbtools.guard.generate."""

from __future__ import annotations

from dbtools.guard.model import Cause

CHECKED_AGAINST = 'MongoDB manual 8.2'
COMMANDS: dict[str, tuple[str, frozenset[str]]] = {
    'find': ('collection', frozenset({'allowDiskUse', 'allowPartialResults', 'batchSize', 'collation', 'comment', 'filter', 'hint', 'let', 'limit', 'max', 'maxTimeMS', 'min', 'projection', 'readConcern', 'returnKey', 'showRecordId', 'singleBatch', 'skip', 'sort', })),
    'aggregate': ('collection', frozenset({'allowDiskUse', 'collation', 'comment', 'cursor', 'explain', 'hint', 'let', 'maxTimeMS', 'pipeline', 'readConcern', })),
    'count': ('collection', frozenset({'collation', 'comment', 'hint', 'limit', 'maxTimeMS', 'query', 'readConcern', 'skip', })),
    'distinct': ('collection', frozenset({'collation', 'comment', 'hint', 'key', 'maxTimeMS', 'query', 'readConcern', })),
    'listIndexes': ('collection', frozenset({'comment', 'cursor', 'maxTimeMS', })),
    'collStats': ('collection', frozenset({'comment', 'maxTimeMS', 'scale', })),
    'listCollections': ('database', frozenset({'authorizedCollections', 'comment', 'cursor', 'filter', 'maxTimeMS', 'nameOnly', })),
    'dbStats': ('database', frozenset({'comment', 'freeStorage', 'maxTimeMS', 'scale', })),
    'ping': ('database', frozenset({'comment', 'maxTimeMS', })),
    'hello': ('database', frozenset({'comment', })),
    'buildInfo': ('database', frozenset({'comment', })),
    'explain': ('command', frozenset({'comment', 'maxTimeMS', 'verbosity', })),
}
VERBOSITY = frozenset({'allPlansExecution', 'executionStats', 'queryPlanner', })
STAGES = frozenset({'$addFields', '$bucket', '$bucketAuto', '$collStats', '$count', '$densify', '$documents', '$facet', '$fill', '$geoNear', '$graphLookup', '$group', '$indexStats', '$limit', '$listSearchIndexes', '$lookup', '$match', '$project', '$rankFusion', '$redact', '$replaceRoot', '$replaceWith', '$sample', '$score', '$scoreFusion', '$search', '$searchMeta', '$set', '$setWindowFields', '$skip', '$sort', '$sortByCount', '$unionWith', '$unset', '$unwind', '$vectorSearch', })
OPERATORS = frozenset({'$abs', '$accumulatorN', '$acos', '$acosh', '$add', '$addToSet', '$all', '$allElementsTrue', '$alwaysFalse', '$alwaysTrue', '$and', '$anyElementTrue', '$arrayElemAt', '$arrayToObject', '$asin', '$asinh', '$atan', '$atan2', '$atanh', '$avg', '$base64', '$binary', '$binarySize', '$bitAnd', '$bitNot', '$bitOr', '$bitXor', '$bitsAllClear', '$bitsAllSet', '$bitsAnyClear', '$bitsAnySet', '$bottom', '$bottomN', '$box', '$bsonSize', '$caseSensitive', '$ceil', '$center', '$centerSphere', '$cmp', '$comment', '$concat', '$concatArrays', '$cond', '$convert', '$cos', '$cosh', '$count', '$covariancePop', '$covarianceSamp', '$createObjectId', '$date', '$dateAdd', '$dateDiff', '$dateFromParts', '$dateFromString', '$dateSubtract', '$dateToParts', '$dateToString', '$dateTrunc', '$dayOfMonth', '$dayOfWeek', '$dayOfYear', '$degreesToRadians', '$denseRank', '$derivative', '$diacriticSensitive', '$divide', '$documentNumber', '$elemMatch', '$encStrContains', '$encStrEndsWith', '$encStrNormalizedEq', '$encStrStartsWith', '$eq', '$exists', '$exp', '$expMovingAvg', '$expr', '$filter', '$first', '$firstN', '$floor', '$geoIntersects', '$geoWithin', '$geometry', '$getField', '$gt', '$gte', '$hash', '$hexHash', '$hour', '$id', '$ifNull', '$in', '$indexOfArray', '$indexOfBytes', '$indexOfCP', '$integral', '$isArray', '$isNumber', '$isoDayOfWeek', '$isoWeek', '$isoWeekYear', '$jsonSchema', '$language', '$last', '$lastN', '$let', '$linearFill', '$literal', '$ln', '$locf', '$log', '$log10', '$lt', '$lte', '$ltrim', '$map', '$max', '$maxDistance', '$maxKey', '$maxN', '$median', '$mergeObjects', '$meta', '$millisecond', '$min', '$minDistance', '$minKey', '$minMaxScaler', '$minN', '$minute', '$mod', '$month', '$multiply', '$natural', '$ne', '$near', '$nearSphere', '$nin', '$nor', '$not', '$numberDecimal', '$numberDouble', '$numberInt', '$numberLong', '$objectToArray', '$oid', '$options', '$or', '$percentile', '$polygon', '$pow', '$push', '$radiansToDegrees', '$rand', '$range', '$rank', '$reduce', '$ref', '$regex', '$regexFind', '$regexFindAll', '$regexMatch', '$regularExpression', '$replaceAll', '$replaceOne', '$reverseArray', '$round', '$rtrim', '$sampleRate', '$search', '$second', '$setDifference', '$setEquals', '$setField', '$setIntersection', '$setIsSubset', '$setUnion', '$shift', '$sigmoid', '$similarityCosine', '$similarityDotProduct', '$similarityEuclidean', '$sin', '$sinh', '$size', '$slice', '$sortArray', '$split', '$sqrt', '$stdDevPop', '$stdDevSamp', '$strLenBytes', '$strLenCP', '$strcasecmp', '$subType', '$substr', '$substrBytes', '$substrCP', '$subtract', '$subtype', '$sum', '$switch', '$symbol', '$tan', '$tanh', '$text', '$timestamp', '$toArray', '$toBool', '$toDate', '$toDecimal', '$toDouble', '$toHashedIndexKey', '$toInt', '$toLong', '$toLower', '$toObject', '$toObjectId', '$toString', '$toUUID', '$toUpper', '$top', '$topN', '$trim', '$trunc', '$tsIncrement', '$tsSecond', '$type', '$undefined', '$uniqueDocs', '$unsetField', '$uuid', '$week', '$year', '$zip', })
DENIED: dict[str, Cause] = {
    '$where': Cause('runs JavaScript on the server', 'use the aggregation operators: $expr, $cond, $map, $filter, $reduce'),
    '$function': Cause('runs JavaScript on the server', 'use the aggregation operators: $expr, $cond, $map, $filter, $reduce'),
    '$accumulator': Cause('runs JavaScript on the server', 'use the aggregation operators: $expr, $cond, $map, $filter, $reduce'),
    '$code': Cause('runs JavaScript on the server', 'use the aggregation operators: $expr, $cond, $map, $filter, $reduce'),
    '$scope': Cause('runs JavaScript on the server', 'use the aggregation operators: $expr, $cond, $map, $filter, $reduce'),
    '$out': Cause('writes its result into a collection', 'leave the stage out; db-query -o FILE keeps the documents'),
    '$merge': Cause('writes its result into a collection', 'leave the stage out; db-query -o FILE keeps the documents'),
    '$currentOp': Cause("shows other users' queries", 'explain shows the plan of your own query'),
    '$listSessions': Cause("shows other users' queries", 'explain shows the plan of your own query'),
    '$listLocalSessions': Cause("shows other users' queries", 'explain shows the plan of your own query'),
    '$planCacheStats': Cause("shows other users' queries", 'explain shows the plan of your own query'),
    '$queryStats': Cause("shows other users' queries", 'explain shows the plan of your own query'),
    '$querySettings': Cause("shows other users' queries", 'explain shows the plan of your own query'),
    '$listSampledQueries': Cause("shows other users' queries", 'explain shows the plan of your own query'),
    '$changeStream': Cause('never ends', 'find with a filter on the time'),
    '$changeStreamSplitLargeEvent': Cause('never ends', 'find with a filter on the time'),
    '$db': Cause('reaches another database', 'use a connection to that database'),
}
