#!/bin/sh
# The batch job of docs/cluster.md on Debian's slurm-wlm, with this machine playing four nodes:
# slurm.sh [PROGRAM].  A controller, four slurmd and a munged of their own are started for it, as root.
#   1. sbatch on four nodes gives the bits of one process;
#   2. srun --mpi=pmix in place of mpirun gives them too;
#   3. a job that is requeued in the middle goes on from its checkpoint, to the same bits.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
nln=$(readlink -f "${1:-$root/build/nln}")
for tool in slurmctld slurmd munged sbatch mpirun; do
    if [ "$(id -u)" != 0 ] || ! command -v $tool >/dev/null; then
        echo "SKIPPED: there is no $tool here, or this is not root"
        exit 77
    fi
done
work=$(mktemp -d)
chmod 755 "$work"
started=
tear_down() {
    for process in $started; do
        kill "$process" 2>/dev/null || true
    done
    sleep 1
    rm -rf "$work"
}
trap tear_down EXIT
cd "$work"
export SLURM_CONF="$work/slurm.conf" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
host=$(hostname -s)
mkdir -p state spool log tmp/node1 tmp/node2 tmp/node3 tmp/node4
head -c 1024 /dev/urandom >munge.key
chmod 400 munge.key
cat >slurm.conf <<END
ClusterName=nln
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
MpiDefault=none
TmpFS=$work/tmp/%n
ReturnToService=2
MinJobAge=600
NodeName=node[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17001-17004] CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=node[1-4] Default=YES MaxTime=INFINITE State=UP
END
background() {
    log=$1
    shift
    "$@" >"log/$log" 2>&1 &
    started="$started $!"
}
background munged munged --force --foreground --key-file="$work/munge.key" \
    --socket="$work/munge.socket" --pid-file="$work/munge.pid" --log-file="$work/munge.log" \
    --seed-file="$work/munge.seed"
sleep 1
background slurmctld slurmctld -D
sleep 2
for i in 1 2 3 4; do
    background node$i slurmd -D -N node$i
done
for _ in $(seq 60); do
    [ "$(sinfo -h -t idle -o %D)" != 4 ] || break
    sleep 1
done
[ "$(sinfo -h -t idle -o %D)" = 4 ] || {
    echo "SKIPPED: Slurm did not start"
    cat log/*
    exit 77
}

# wait_for JOB STATE: until the job is in this state.
wait_for() {
    for _ in $(seq 300); do
        ! scontrol show job "$1" | grep -q "JobState=$2" || return 0
        sleep 1
    done
    echo "FAILED: job $1 is not $2"
    scontrol show job "$1"
    cat job.txt
    exit 1
}
"$nln" generate logic --out logic >/dev/null
options="--epochs 30 --dimension 16 --hidden 16 --quiet"
"$nln" train logic $options --out whole >/dev/null
cat >job.sh <<END
#!/bin/sh
#SBATCH --nodes=4 --ntasks-per-node=1 --cpus-per-task=1 --requeue --open-mode=append --output=job.txt
mpirun --bind-to none sh -c 'echo "rank \$OMPI_COMM_WORLD_RANK of \$OMPI_COMM_WORLD_SIZE"'
mpirun --bind-to none "$nln" train logic $options --threads 1 --checkpoint c --resume --out model
END
job=$(sbatch --parsable job.sh)
wait_for "$job" COMPLETED
[ "$(grep -c 'of 4' job.txt)" -eq 4 ] || { echo "FAILED: not four ranks"; cat job.txt; exit 1; }
cmp whole model
echo "sbatch on four nodes: the bits of one process"

if srun --mpi=list 2>&1 | grep -q pmix; then
    rm -f model
    # shellcheck disable=SC2086
    srun --mpi=pmix -N 4 -n 4 "$nln" train logic $options --threads 1 --out model >out
    [ "$(grep -c 'best epoch' out)" -eq 1 ] || { echo "FAILED: ranks of srun do not join"; cat out; exit 1; }
    cmp whole model
    echo "srun --mpi=pmix on four nodes: the bits of one process"
else
    echo "SKIPPED: Slurm has no plug-in of PMIx"
fi

rm -f c model job.txt
job=$(sbatch --parsable job.sh)
for _ in $(seq 600); do
    [ ! -f c ] || break
    sleep 0.1
done
[ ! -f model ] || { echo "FAILED: the job was over before it could be requeued"; exit 1; }
scontrol requeue "$job"
wait_for "$job" COMPLETED
cmp whole model
grep 'training was interrupted in epoch' job.txt || { echo "FAILED: no checkpoint"; cat job.txt; exit 1; }
echo "requeued in the middle: it went on from its checkpoint, to the same bits"
