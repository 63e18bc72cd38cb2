// Package rank says which order statistics a quantile is made of, and makes
// the quantile of them.
//
// A quantile passes through three rooms: ranks, where (n, q, method) becomes
// two order statistics and a weight; selection, which finds their values; and
// interpolation, where (a, b, g) becomes a + g·(b-a), rounded once. This
// package is the first room and the last, shared by every path that selects.
//
// v is the 0-based virtual index of q among n ordered values; the quantile
// lies between s[floor v] and s[floor v + 1].
//
//	method                     Hyndman-Fan  rule
//	linear                     type 7       v = (n-1)q, weight v - floor v
//	lower                                   floor of (n-1)q
//	higher                                  ceil of (n-1)q
//	nearest                                 (n-1)q rounded, halves to even
//	nearest_down                            (n-1)q rounded, halves down
//	midpoint                                v = (n-1)q, weight 1/2 unless v is integral
//	inverted_cdf               type 1       ceil(nq) - 1
//	averaged_inverted_cdf      type 2       v = nq - 1, weight 1/2 if v is integral, else 1
//	closest_observation        type 3       v = nq - 3/2, halves to the even one counted from 1
//	interpolated_inverted_cdf  type 4       alpha, beta = 0, 1
//	hazen                      type 5       alpha, beta = 1/2, 1/2
//	weibull                    type 6       alpha, beta = 0, 0
//	median_unbiased            type 8       alpha, beta = 1/3, 1/3
//	normal_unbiased            type 9       alpha, beta = 3/8, 3/8
//
// With alpha and beta, v = nq + (alpha + q(1-alpha-beta)) - 1 and the weight is
// v - floor v. An order statistic outside [0, n-1] is the nearer end.
//
// Rank arithmetic is float64, each operation rounded once and none fused, or
// exact where q is a fraction, weights included. The same arguments give the same bits on
// every platform.
package rank
