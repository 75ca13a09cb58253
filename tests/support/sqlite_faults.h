/* The file system between SQLite and the disk: counts syncs, holds them, and fails on demand.  A
 * layer over SQLite's own, which becomes the default one. */
#ifndef NLN_TESTS_SQLITE_FAULTS_H
#define NLN_TESTS_SQLITE_FAULTS_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>

static struct {
    sqlite3_vfs layer, *below;
    sqlite3_io_methods methods;
    atomic_long n_syncs;
    atomic_int write_result; /* what writing gives instead of writing, such as SQLITE_FULL; or 0 */
    atomic_int sync_result;  /* the same for syncing */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_held; /* syncs wait */
    int n_waiting;
} sqlite_faults = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

typedef struct sqlite_faults_file {
    sqlite3_file base;
    sqlite3_file *real; /* in the same block, behind this one */
} sqlite_faults_file;

static inline sqlite3_file *sqlite_faults_real(sqlite3_file *file)
{
    return ((sqlite_faults_file *)file)->real;
}

static inline int sqlite_faults_write(sqlite3_file *file, const void *bytes, int n,
                                      sqlite3_int64 at)
{
    int result = atomic_load(&sqlite_faults.write_result);
    sqlite3_file *real = sqlite_faults_real(file);
    return result ? result : real->pMethods->xWrite(real, bytes, n, at);
}

static inline int sqlite_faults_sync(sqlite3_file *file, int flags)
{
    int result = atomic_load(&sqlite_faults.sync_result);
    sqlite3_file *real = sqlite_faults_real(file);
    pthread_mutex_lock(&sqlite_faults.lock);
    sqlite_faults.n_waiting++;
    pthread_cond_broadcast(&sqlite_faults.changed);
    while (sqlite_faults.is_held)
        pthread_cond_wait(&sqlite_faults.changed, &sqlite_faults.lock);
    sqlite_faults.n_waiting--;
    pthread_mutex_unlock(&sqlite_faults.lock);
    if (!result && !(result = real->pMethods->xSync(real, flags)))
        atomic_fetch_add(&sqlite_faults.n_syncs, 1);
    return result;
}

/* The other methods pass everything on. */
#define PASS(name, parameters, arguments)              \
    static inline int sqlite_faults_##name parameters  \
    {                                                  \
        sqlite3_file *real = sqlite_faults_real(file); \
        return real->pMethods->x##name arguments;      \
    }
PASS(Close, (sqlite3_file * file), (real))
PASS(Read, (sqlite3_file * file, void *out, int n, sqlite3_int64 at), (real, out, n, at))
PASS(Truncate, (sqlite3_file * file, sqlite3_int64 size), (real, size))
PASS(FileSize, (sqlite3_file * file, sqlite3_int64 *size), (real, size))
PASS(Lock, (sqlite3_file * file, int kind), (real, kind))
PASS(Unlock, (sqlite3_file * file, int kind), (real, kind))
PASS(CheckReservedLock, (sqlite3_file * file, int *out), (real, out))
PASS(FileControl, (sqlite3_file * file, int op, void *argument), (real, op, argument))
PASS(SectorSize, (sqlite3_file * file), (real))
PASS(DeviceCharacteristics, (sqlite3_file * file), (real))
PASS(ShmMap, (sqlite3_file * file, int page, int size, int extend, void volatile **out),
     (real, page, size, extend, out))
PASS(ShmLock, (sqlite3_file * file, int offset, int n, int flags), (real, offset, n, flags))
PASS(ShmUnmap, (sqlite3_file * file, int remove), (real, remove))
#undef PASS

static inline void sqlite_faults_barrier(sqlite3_file *file)
{
    sqlite3_file *real = sqlite_faults_real(file);
    real->pMethods->xShmBarrier(real);
}

static inline int sqlite_faults_open(sqlite3_vfs *layer, const char *name, sqlite3_file *file,
                                     int flags, int *out_flags)
{
    sqlite_faults_file *f = (sqlite_faults_file *)file;
    (void)layer;
    f->real = (sqlite3_file *)(f + 1);
    int code = sqlite_faults.below->xOpen(sqlite_faults.below, name, f->real, flags, out_flags);
    file->pMethods = f->real->pMethods ? &sqlite_faults.methods : NULL;
    return code;
}

/* Before the first store is opened. */
static inline void sqlite_faults_install(void)
{
    sqlite_faults.below = sqlite3_vfs_find(NULL);
    sqlite_faults.layer = *sqlite_faults.below;
    sqlite_faults.layer.zName = "faults";
    sqlite_faults.layer.szOsFile += (int)sizeof(sqlite_faults_file);
    sqlite_faults.layer.xOpen = sqlite_faults_open;
    sqlite_faults.methods = (sqlite3_io_methods){
        .iVersion = 2,
        .xClose = sqlite_faults_Close,
        .xRead = sqlite_faults_Read,
        .xWrite = sqlite_faults_write,
        .xTruncate = sqlite_faults_Truncate,
        .xSync = sqlite_faults_sync,
        .xFileSize = sqlite_faults_FileSize,
        .xLock = sqlite_faults_Lock,
        .xUnlock = sqlite_faults_Unlock,
        .xCheckReservedLock = sqlite_faults_CheckReservedLock,
        .xFileControl = sqlite_faults_FileControl,
        .xSectorSize = sqlite_faults_SectorSize,
        .xDeviceCharacteristics = sqlite_faults_DeviceCharacteristics,
        .xShmMap = sqlite_faults_ShmMap,
        .xShmLock = sqlite_faults_ShmLock,
        .xShmBarrier = sqlite_faults_barrier,
        .xShmUnmap = sqlite_faults_ShmUnmap,
    };
    sqlite3_vfs_register(&sqlite_faults.layer, 1);
}

static inline void sqlite_faults_hold(int is_held)
{
    pthread_mutex_lock(&sqlite_faults.lock);
    sqlite_faults.is_held = is_held;
    pthread_cond_broadcast(&sqlite_faults.changed);
    pthread_mutex_unlock(&sqlite_faults.lock);
}

/* Waits until a sync is being held. */
static inline void sqlite_faults_await(void)
{
    pthread_mutex_lock(&sqlite_faults.lock);
    while (sqlite_faults.n_waiting == 0)
        pthread_cond_wait(&sqlite_faults.changed, &sqlite_faults.lock);
    pthread_mutex_unlock(&sqlite_faults.lock);
}

#endif
