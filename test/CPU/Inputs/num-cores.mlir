// The first three elements a core become the number of cores.
tile.kernel @cores(%X: memref<?xindex> {tile.shape = ["N"]}) {
  %N = tile.dim "N" : index
  %cores = tile.num_cores : index
  %hundred = arith.constant 100 : index
  %few = arith.cmpi slt, %cores, %hundred : index
  tile.assume %few, "more cores than this kernel is for" : i1
  %minus = arith.constant -1 : index
  %three = arith.constant 3 : index
  %blocks = arith.muli %cores, %three : index
  %all = arith.minsi %blocks, %N : index
  %w = memref.alloc(%cores) {tile.init = 0 : index} : memref<?xindex>
  tile.grid (%i) = (0) to (%all) step (1) {
    %n = tile.num_cores : index
    %last = arith.addi %n, %minus : index
    %zero = memref.load %w[%last] : memref<?xindex>
    %sum = arith.addi %n, %zero : index
    memref.store %sum, %X[%i] : memref<?xindex>
  }
  tile.return
}
